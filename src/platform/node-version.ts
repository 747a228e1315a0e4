const NODE_MAJOR = 26;

/** Null: the program may run on this Node. */
export function nodeFault(version: string = process.versions.node): string | null {
  if (version.startsWith(`${NODE_MAJOR}.`)) return null;
  return `Parcela runs on Node ${NODE_MAJOR}, this is v${version}; start it with npm, which brings its own, or name one in PARCELA_NODE`;
}
