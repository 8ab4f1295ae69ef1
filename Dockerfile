# hpd with the model in the box, without compilers, as a user without rights:
#   docker build -t hpd .
#   docker run --rm -i hpd extract - --format lines --schema "brand, color" < texts.txt
#   docker run --rm -p 8000:8000 hpd                              # the server
#   docker run --rm -v "$PWD:/data" -u "$(id -u)" hpd extract mails/ --schema "customer" -o values.csv
FROM python:3.12-slim-bookworm AS build
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends g++ make
WORKDIR /src
COPY . .
# For any processor of the kind (x86-64 with AVX2, 64-bit ARM), not only the one that builds.
ENV CMAKE_ARGS="-DGGML_NATIVE=OFF -DCMAKE_PROJECT_INCLUDE=/src/slim.cmake"
RUN --mount=type=cache,target=/root/.cache/pip \
    pip wheel --wheel-dir /wheels '.[files,mcp,serve]'

FROM python:3.12-slim-bookworm
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libgomp1 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 hpd
# hadolint ignore=DL3013
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels 'hpd-cpp[files,mcp,serve]'
USER 1000
WORKDIR /data
EXPOSE 8000
ENTRYPOINT ["hpd"]
CMD ["serve", "--host", "0.0.0.0"]
