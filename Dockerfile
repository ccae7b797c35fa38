# Page and API in one image: `page` is the default, `api` the other. Everything is fetched while it is built, nothing
# when it runs. docs/deployment.md says how to run it.
FROM python:3.11-slim AS installed
WORKDIR /srv/assistant
RUN python -m venv .venv
COPY scripts/install_packages.sh scripts/
COPY requirements.txt ./
RUN sh scripts/install_packages.sh .venv requirements.txt
COPY LICENSE app.py server.py ./
COPY .streamlit .streamlit
COPY ai_engine ai_engine
COPY backend backend
COPY pages pages
COPY data data
# A bank of its own is named by BANK_DATABASE_URL; without one, this is asked.
RUN .venv/bin/python -m data.build_sample_bank --out data/sample_bank.duckdb \
    && .venv/bin/python -m compileall -q ai_engine backend pages data

FROM python:3.11-slim
RUN useradd --system --home-dir /var/lib/assistant --create-home assistant
COPY --from=installed /srv/assistant /srv/assistant
WORKDIR /srv/assistant
USER assistant
ENV PATH=/srv/assistant/.venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    HOME=/var/lib/assistant \
    BANK_CACHE_DIR=/var/lib/assistant/cache \
    BANK_UPLOADS_DIR=/var/lib/assistant/uploads \
    BANK_STORE_URL=sqlite:////var/lib/assistant/store.sqlite
VOLUME /var/lib/assistant
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=5)"]
ENTRYPOINT ["python", "server.py"]
CMD ["page", "--host", "0.0.0.0", "--port", "8501", "--workers", "2"]
