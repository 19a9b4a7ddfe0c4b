import type { CodegenConfig } from "@graphql-codegen/cli";

const config: CodegenConfig = {
  schema: "../../api/schema.graphql",
  documents: "src/documents.ts",
  generates: {
    "src/generated/": {
      preset: "client",
      presetConfig: { fragmentMasking: false },
      config: {
        strictScalars: true,
        scalars: { DateTime: "string", Upload: "Blob" },
        enumsAsTypes: true,
        immutableTypes: true,
        skipTypename: true,
        useTypeImports: true,
      },
    },
  },
  emitLegacyCommonJSImports: false,
  silent: true,
};

export default config;
