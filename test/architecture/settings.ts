import type { Complaint, SourceTree } from './source-tree.ts';

const PAGE = 'docs/configuration.md';

/**
 * Settings that the table of docs/configuration.md does not name, and names in it that are no
 * settings. Nothing without the page.
 */
export function settingsComplaints(tree: SourceTree, settings: readonly string[]): Complaint[] {
  const page = tree.get(PAGE);
  if (page === undefined) return [];
  const section = /^#+ [^\n]*configur[^\n]*\n([\s\S]*?)(?=^# |^## |(?![\s\S]))/im.exec(page)?.[1] ?? '';
  const named = [...section.matchAll(/^\|\s*`([A-Z][A-Z0-9_]*)`/gm)].map(([, name = '']) => name);
  const complaints = settings
    .filter((name) => !named.includes(name))
    .map((name) => `${PAGE}: the table of the configuration lacks ${name}`);
  const unknown = named.filter((name) => !settings.includes(name));
  const twice = named.filter((name, index) => named.indexOf(name) !== index);
  return [
    ...complaints,
    ...unknown.map((name) => `${PAGE}: ${name} is no setting of src/app/config.ts`),
    ...twice.map((name) => `${PAGE}: ${name} stands twice in the table`),
  ];
}
