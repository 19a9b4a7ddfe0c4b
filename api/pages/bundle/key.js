// The bar in which a reader gives an API key. The key lives as long as the tab, and goes to no other origin.

const STORED = "cogniverse:key";

export function getKey() {
  return sessionStorage.getItem(STORED) ?? "";
}

/** Puts the bar into `parent`; `onChange` is called without the key, which is to be read by getKey. */
export function mountKeyBar(parent, onChange) {
  const field = Object.assign(document.createElement("input"), {
    type: "password",
    value: getKey(),
    placeholder: "none: as anyone on this machine",
    autocomplete: "off",
    spellcheck: false,
  });
  const label = document.createElement("label");
  label.append("API key or token ", field);
  const form = document.createElement("form");
  form.className = "key-bar";
  form.append(label, Object.assign(document.createElement("button"), { textContent: "Use" }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const key = field.value.trim();
    if (key) sessionStorage.setItem(STORED, key);
    else sessionStorage.removeItem(STORED);
    onChange();
  });
  parent.append(form);
}

/** The headers with the key in them, unless they say themselves who asks. */
export function addKey(headers) {
  const complete = new Headers(headers);
  if (getKey() && !complete.has("authorization")) complete.set("authorization", `Bearer ${getKey()}`);
  return complete;
}
