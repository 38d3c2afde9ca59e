"""What pages share: the frame, inputs that live in the address, outputs to take away."""
