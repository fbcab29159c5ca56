"""The answers for assistants, by the Model Context Protocol over standard input and output (`tfdoctor mcp`)."""
