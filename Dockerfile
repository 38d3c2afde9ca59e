# The pages, public, on port 8501 (docs/howto/server.md):
#   docker build -t klyuch .
#   docker run --read-only --tmpfs /tmp --cap-drop=ALL --security-opt=no-new-privileges -v klyuch:/data -p 127.0.0.1:8501:8501 klyuch
FROM python:3.11-slim AS build
RUN python -m venv /opt/klyuch
ENV PATH=/opt/klyuch/bin:$PATH
WORKDIR /source
COPY requirements.txt .
# The build of torch for processors alone: some 200 MB in place of several GB of CUDA.
RUN pip install --no-cache-dir --index-url https://download.pytorch.org/whl/cpu "$(grep ^torch== requirements.txt)"
RUN grep == requirements.txt > pins.txt && pip install --no-cache-dir -r pins.txt
COPY . .
RUN pip install --no-cache-dir --no-deps .

FROM python:3.11-slim
COPY --from=build /opt/klyuch /opt/klyuch
RUN useradd --uid 10001 --no-create-home klyuch && install -d -o klyuch /data
# NUMBA_CACHE_DIR: compiled loops are kept where something may be written. MALLOC_...: large arrays are given back when they are freed.
ENV PATH=/opt/klyuch/bin:$PATH \
    PYTHONPATH=/opt/klyuch/lib/python3.11/site-packages/embeddings/page \
    PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 HOME=/tmp \
    KLYUCH_HOME=/data NUMBA_CACHE_DIR=/data/.numba \
    MALLOC_ARENA_MAX=4 MALLOC_MMAP_THRESHOLD_=4194304 \
    KLYUCH_PUBLIC=1 PORT=8501
USER 10001
VOLUME /data
WORKDIR /data
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD python -c "import os, urllib.request as u; u.urlopen(f'http://127.0.0.1:{os.environ[\"PORT\"]}/_stcore/health', timeout=4)"
CMD exec python -m streamlit run "$PYTHONPATH/app/server.py" --server.address=0.0.0.0 --server.port="$PORT" \
    --server.headless=true --server.fileWatcherType=none
