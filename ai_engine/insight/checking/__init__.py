"""Does a text about a result say only figures that the result bears out?"""
