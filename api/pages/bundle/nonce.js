// Dialogs add a style element while they are open; the page's policy admits it by the nonce of the page's own script.
import { setNonce } from "get-nonce";

setNonce(document.currentScript.nonce);
