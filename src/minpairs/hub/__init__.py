"""What goes to the Hub: dataset folders, the metric's Space, and results of models."""
