import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import "swagger-ui-dist/swagger-ui.css";

import { addKey, mountKeyBar } from "./key.js";
import "./page.css";

const place = document.getElementById("root");

const show = () =>
  SwaggerUI({
    url: "openapi.json",
    domNode: place,
    deepLinking: true,
    // The badge would send the description to a server of Swagger's makers.
    validatorUrl: "none",
    requestInterceptor: (request) => {
      if (new URL(request.url, location.href).origin === location.origin) {
        request.headers = Object.fromEntries(addKey(request.headers));
      }
      return request;
    },
  });

const bar = document.createElement("header");
place.before(bar);
mountKeyBar(bar, show);
show();
