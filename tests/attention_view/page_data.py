"""What a page of the attention view carries."""

import json
import re


def data_of(page):
    """The data of a page, as a browser reads it: up to the first </script>."""
    block = re.search(r'<script type="application/json" id="attention">(.*?)</script>', page, re.S)
    return json.loads(block[1])
