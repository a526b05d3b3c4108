# The image that ops/deploy/Dockerfile makes, with its programs made of a few large files beside the sources.
FROM hub
COPY programs /hub/programs
