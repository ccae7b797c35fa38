"""A front desk for several agents: routes each message, keeps each agent's memory apart, lets a lead consult a team."""

from ai_engine.conversation import ChatTurn, ConversationModel, ModelReply, Piece, ToolCall, ToolSpec
from ai_engine.routing.agent import RoutedAgent
from ai_engine.routing.chain_agent import ChainAgent
from ai_engine.routing.classifier import Classifier, ModelClassifier
from ai_engine.routing.config import AgentSquadConfig
from ai_engine.routing.filter_agent import FilterAgent
from ai_engine.routing.greeter import Greeter
from ai_engine.routing.messages import (
    AgentProcessingResult,
    AgentResponse,
    AgentStreamResponse,
    ClassifierResult,
    ConversationMessage,
    ParticipantRole,
    TimestampedMessage,
)
from ai_engine.routing.model_agent import AgentCallbacks, ModelAgent, Retriever
from ai_engine.routing.specialist_agent import SpecialistAgent, Surroundings
from ai_engine.routing.squad import AgentSquad
from ai_engine.routing.storage import ChatStorage, InMemoryChatStorage
from ai_engine.routing.supervisor_agent import SupervisorAgent
from ai_engine.routing.tools import AgentTool, AgentToolCallbacks, AgentTools
from ai_engine.routing.word_classifier import WordClassifier

__all__ = [
    "AgentCallbacks",
    "AgentProcessingResult",
    "AgentResponse",
    "AgentSquad",
    "AgentSquadConfig",
    "AgentStreamResponse",
    "AgentTool",
    "AgentToolCallbacks",
    "AgentTools",
    "ChainAgent",
    "ChatStorage",
    "ChatTurn",
    "Classifier",
    "ClassifierResult",
    "ConversationMessage",
    "ConversationModel",
    "FilterAgent",
    "Greeter",
    "InMemoryChatStorage",
    "ModelAgent",
    "ModelClassifier",
    "ModelReply",
    "ParticipantRole",
    "Piece",
    "Retriever",
    "RoutedAgent",
    "SpecialistAgent",
    "SupervisorAgent",
    "Surroundings",
    "TimestampedMessage",
    "ToolCall",
    "ToolSpec",
    "WordClassifier",
]
