type Place = { readonly source: string; readonly line: number; readonly column: number };

export function nameSources(folder: string): void;
export function openMap(map: {
  readonly mappings: string;
  readonly sources: readonly string[];
}): (line: number, column: number) => Place | undefined;
