FROM python:3.13-slim

RUN useradd --create-home --uid 10001 cogniverse && install --directory --owner cogniverse /data
WORKDIR /src
COPY pyproject.toml README.md LICENSE requirements.lock ./
COPY api api
COPY extraction extraction
COPY graph graph
COPY cypher cypher
COPY migrations migrations
RUN pip install --no-cache-dir --constraint requirements.lock '.[documents]'

USER cogniverse
WORKDIR /data
ENV COGNIVERSE_DATA_DIR=/data COGNIVERSE_CACHE_DIR=/data/cache
VOLUME /data
EXPOSE 8000
ENTRYPOINT ["cogniverse"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
