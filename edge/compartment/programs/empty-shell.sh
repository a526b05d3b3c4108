# Nothing at all: files that are put in wait here for whatever is started later.
exec sleep infinity
