import type { Complaint, SourceTree } from './source-tree.ts';

/** Settings that the README's table does not name, and names in it that are no settings. Nothing without a README. */
export function settingsComplaints(tree: SourceTree, settings: readonly string[]): Complaint[] {
  const page = tree.get('README.md');
  if (page === undefined) return [];
  const section = /^#+ [^\n]*configur[^\n]*\n([\s\S]*?)(?=^# |^## |(?![\s\S]))/im.exec(page)?.[1] ?? '';
  const named = [...section.matchAll(/^\|\s*`([A-Z][A-Z0-9_]*)`/gm)].map(([, name = '']) => name);
  const complaints = settings
    .filter((name) => !named.includes(name))
    .map((name) => `README.md: the table of the configuration lacks ${name}`);
  const unknown = named.filter((name) => !settings.includes(name));
  const twice = named.filter((name, index) => named.indexOf(name) !== index);
  return [
    ...complaints,
    ...unknown.map((name) => `README.md: ${name} is no setting of src/app/config.ts`),
    ...twice.map((name) => `README.md: ${name} stands twice in the table`),
  ];
}
