// Makes ../static from the sources here: `npm ci && npm run build`. The same sources give the same bytes;
// `npm run check` fails when what is checked in isn't what they give.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const STATIC = join(HERE, "..", "static");
const ENTRIES = ["graphiql.jsx", "openapi.js"];

// The fonts in GraphiQL's style sheet are four fifths of it: the reader's own serve as well.
const withoutFonts = {
  name: "without-fonts",
  setup(build) {
    build.onLoad({ filter: /graphiql.*\.css$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(/@font-face\s*\{[^}]*\}/g, ""),
      loader: "css",
    }));
  },
};

async function bundle(entry) {
  const result = await build({
    absWorkingDir: HERE,
    entryPoints: [entry],
    outdir: "out",
    write: false,
    bundle: true,
    minify: true,
    metafile: true,
    format: "iife",
    target: "es2022",
    jsx: "automatic",
    charset: "utf8",
    legalComments: "none",
    banner: { js: "/* Licences: LICENSES.txt */", css: "/* Licences: LICENSES.txt */" },
    define: { "process.env.NODE_ENV": '"production"', global: "globalThis" },
    plugins: [withoutFonts],
    logLevel: "warning",
  });
  return { files: result.outputFiles, inputs: Object.keys(result.metafile.inputs) };
}

function findPackage(path) {
  const found = path.match(/^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//);
  return found && join(HERE, found[1]);
}

function readLicences(folder) {
  return readdirSync(folder)
    .filter((name) => /licen[cs]e|^notice/i.test(name) && !name.endsWith(".map") && !/es-bundle|preset/.test(name))
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n").trim());
}

function describeLicences(inputs) {
  const folders = [...new Set(inputs.map(findPackage).filter(Boolean))].sort();
  const parts = folders.map((folder) => {
    const { name, version, license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    if (!license) throw new Error(`${name} ${version} tells no licence: it can't be bundled.`);
    const by = typeof author === "object" ? author.name : author;
    const title = `${name} ${version} (${license})`;
    const texts = readLicences(folder);
    if (!texts.length && license !== "MIT") throw new Error(`${name} ${version} holds no text of its licence.`);
    const body = texts.join("\n\n") || `Copyright: ${by ?? `the authors of ${name}`}. Under the terms of the MIT licence, as printed for react.`;
    return `${"=".repeat(80)}\n${title}\n${"=".repeat(80)}\n\n${body}\n`;
  });
  return `What is bundled in the files beside this one, and its licences.\n\n${parts.join("\n")}`;
}

async function buildAll() {
  const made = new Map();
  const manifest = {};
  const inputs = [];
  for (const entry of ENTRIES) {
    const bundled = await bundle(entry);
    inputs.push(...bundled.inputs);
    for (const { path, contents } of bundled.files) {
      const [suffix, name] = [extname(path), basename(path)];
      const digest = createHash("sha256").update(contents).digest("hex").slice(0, 16);
      manifest[name] = `${basename(path, suffix)}.${digest}${suffix}`;
      made.set(manifest[name], Buffer.from(contents));
    }
  }
  made.set("manifest.json", Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
  made.set("LICENSES.txt", Buffer.from(describeLicences(inputs)));
  return made;
}

const made = await buildAll();
const present = existsSync(STATIC) ? readdirSync(STATIC) : [];
if (process.argv.includes("--check")) {
  const stale = present.filter((name) => !made.has(name));
  const changed = [...made].filter(([name, bytes]) => !present.includes(name) || !readFileSync(join(STATIC, name)).equals(bytes));
  const faults = [...stale, ...changed.map(([name]) => name)];
  if (faults.length) {
    console.error(`api/pages/static isn't what its sources give: ${faults.join(", ")}. Run \`npm ci && npm run build\` in api/pages/bundle.`);
    process.exitCode = 1;
  }
} else {
  rmSync(STATIC, { recursive: true, force: true });
  mkdirSync(STATIC);
  for (const [name, bytes] of made) writeFileSync(join(STATIC, name), bytes);
  for (const [name, bytes] of [...made].sort()) console.log(`${String(bytes.length).padStart(8)} ${name}`);
}
