"""What people say of answers, and the trail of all that was asked."""
