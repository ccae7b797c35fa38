"""What people bring themselves: files that become a private database of the one who brought them."""
