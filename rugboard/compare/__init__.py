"""Rules beside other kinds of model, and the paper's case study."""
