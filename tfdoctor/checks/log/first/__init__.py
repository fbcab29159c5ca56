"""What to do first at this place, before the ways out of the code's page: by what is wrong."""
