"""Chats: messengers, support windows and team channels."""
