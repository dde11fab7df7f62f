//! What a position looks like to a network, the network itself, and the files it is kept in.
