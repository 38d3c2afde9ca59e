"""Where texts come from: the catalogue, downloads, unpacking, Wikipedia, what a person brings; repositories of the Hugging Face Hub."""
