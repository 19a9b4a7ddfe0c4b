// GraphiQL 3: it and 4 edit with CodeMirror, and 3 is the smaller. From 5 on the editor is Monaco, which brings megabytes
// and web workers of its own, and needs inline styles allowed.
import "./nonce.js";

import { createGraphiQLFetcher } from "@graphiql/toolkit";
import { GraphiQL } from "graphiql";
import "graphiql/graphiql.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { addKey, getKey, mountKeyBar } from "./key.js";
import "./page.css";

const EXAMPLE = `# Ctrl+Space completes.
# Ctrl+Enter runs.
query Tenants {
  tenants {
    nodes {
      id
      displayName
      stats {
        nodes
        edges
        documents
      }
    }
  }
}
`;

function makeFetcher() {
  const socket = new URL(location.pathname, location.href);
  socket.protocol = socket.protocol === "https:" ? "wss:" : "ws:";
  return createGraphiQLFetcher({
    url: location.pathname,
    enableIncrementalDelivery: false,
    fetch: (url, options) => fetch(url, { ...options, headers: addKey(options.headers) }),
    subscriptionUrl: socket.href,
    // A browser can't send headers with a WebSocket: the key goes in its first message.
    wsConnectionParams: getKey() ? { Authorization: `Bearer ${getKey()}` } : {},
  });
}

const place = document.getElementById("root");
const root = createRoot(place);

// A new fetcher makes GraphiQL ask for the schema again, with the new key.
const show = () =>
  root.render(
    <StrictMode>
      <GraphiQL fetcher={makeFetcher()} defaultQuery={EXAMPLE} shouldPersistHeaders={false} />
    </StrictMode>,
  );

const bar = document.createElement("header");
place.before(bar);
mountKeyBar(bar, show);
show();
