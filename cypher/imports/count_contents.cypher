// How much there is of a graph; all counts are kept by the store.
// params: none
// returns: contents
// mode: read
// uses: none
RETURN COUNT { (:Folder) } + COUNT { (:Merge) } + COUNT { (:MergeState) } + COUNT { (:Origin) } + COUNT { (:Document) }
  + COUNT { (:Segment) } + COUNT { (:Node) } + COUNT { (:Mention) } + COUNT { (:Unresolved) } + COUNT { (:Job) } AS contents
