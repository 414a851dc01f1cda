# The dashboard for a team. docs/operating.md says what must be set, and compose.yaml shows it behind a proxy.
FROM python:3.11-slim

# libgomp: LightGBM needs it. tini: ends the trainings' processes with the container.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libgomp1 tini \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 rug \
    && install --directory --owner=rug --group=rug --mode=700 /data

WORKDIR /opt/rug
COPY requirements.txt ./
RUN pip install --no-cache-dir --requirement requirements.txt
COPY app.py ./
COPY .streamlit ./.streamlit
COPY pages ./pages
COPY data ./data
COPY rugcore ./rugcore
COPY rugboard ./rugboard

# Compiled kernels are kept where everybody can write them, and nowhere else is written.
ENV RUG_HOME=/data \
    RUG_LOG_FORMAT=json \
    NUMBA_CACHE_DIR=/tmp/numba \
    PYTHONDONTWRITEBYTECODE=1
VOLUME /data
USER rug
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
ENTRYPOINT ["tini", "--"]
CMD ["python", "-m", "streamlit", "run", "app.py", "--server.address", "0.0.0.0", "--server.port", "8501"]
