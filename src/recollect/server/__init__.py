"""The ways in from outside: HTTP, JSON-RPC and MCP, over the same operations. No logic lives here."""
