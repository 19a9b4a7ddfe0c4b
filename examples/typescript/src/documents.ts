// What this program asks. The types of variables and answers are generated from these texts and the schema.
// A union is told apart by its __typename: some clients add it by themselves, fetch sends what is written.
import { graphql } from "./generated/index.js";

export const NodeParts = graphql(`
  fragment NodeParts on Node {
    id
    name
    kind
    location {
      path
      lineStart
      lineEnd
    }
  }
`);

export const ProblemParts = graphql(`
  fragment ProblemParts on Problem {
    code
    message
    field
    candidates {
      ...NodeParts
    }
  }
`);

export const Search = graphql(`
  query Search($tenant: ID!, $query: String!) {
    tenant(id: $tenant) {
      id
      search(query: $query, first: 5) {
        hits {
          score
          exactName
          node {
            ...NodeParts
          }
        }
        truncated
        degraded {
          part
          reason
        }
      }
    }
  }
`);

export const Neighbors = graphql(`
  query Neighbors($tenant: ID!, $node: ID!, $direction: Direction = BOTH) {
    tenant(id: $tenant) {
      id
      neighbors(node: $node, direction: $direction, first: 20) {
        __typename
        ... on Neighborhood {
          center {
            ...NodeParts
          }
          outgoing {
            ...NeighborParts
          }
          incoming {
            ...NeighborParts
          }
          truncated
        }
        ... on Problem {
          ...ProblemParts
        }
      }
    }
  }

  fragment NeighborParts on Neighbor {
    distance
    edge {
      id
      relation
      provenance
      evidenceSpan
    }
    node {
      ...NodeParts
    }
  }
`);

export const Nodes = graphql(`
  query Nodes($tenant: ID!, $where: NodeFilter, $orderBy: [NodeOrder!], $first: Int = 20, $after: String) {
    tenant(id: $tenant) {
      id
      nodes(where: $where, orderBy: $orderBy, first: $first, after: $after) {
        edges {
          cursor
          node {
            ...NodeParts
          }
        }
        pageInfo {
          hasNextPage
          hasPreviousPage
          startCursor
          endCursor
        }
      }
    }
  }
`);

export const IngestFile = graphql(`
  mutation IngestFile($input: IngestFileInput!) {
    ingestFile(input: $input) {
      __typename
      ... on IngestReport {
        document {
          id
          path
          status
        }
        graphNodes
        graphEdges
        unchanged
        degraded {
          part
          reason
        }
        dropped {
          what
          reason
          count
        }
      }
      ... on Job {
        ...JobParts
      }
      ... on Problem {
        ...ProblemParts
      }
    }
  }

  fragment JobParts on Job {
    id
    status
    filesTotal
    filesDone
    filesFailed
    etaSeconds
    error
  }
`);

export const JobProgress = graphql(`
  subscription JobProgress($tenant: ID!, $job: ID!) {
    jobProgress(tenant: $tenant, job: $job) {
      job {
        ...JobParts
      }
      file {
        path
        status
        reason
      }
    }
  }
`);
