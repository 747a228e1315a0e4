import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOME } from '../../platform/home.ts';
import type { AssetPaths } from '../parts/layout.ts';

type Asset = { readonly type: string; readonly content: Buffer };

/**
 * Style and script, each under a name with its hash: a browser keeps it, and asks for another when it
 * changes.
 */
export type Assets = { readonly paths: AssetPaths; readonly byName: ReadonlyMap<string, Asset> };

const FILES = {
  style: { file: 'console.css', type: 'text/css; charset=utf-8' },
  script: { file: 'console.js', type: 'text/javascript; charset=utf-8' },
} as const;

export function readAssets(): Assets {
  const read = ({ file, type }: (typeof FILES)[keyof typeof FILES]) => {
    const content = readFileSync(join(HOME, 'src/console/assets', file));
    const mark = createHash('sha256').update(content).digest('hex').slice(0, 16);
    return { name: file.replace('.', `-${mark}.`), type, content };
  };
  const [style, script] = [read(FILES.style), read(FILES.script)];
  const path = ({ name }: { readonly name: string }) => `/console/assets/${name}`;
  return {
    paths: { style: path(style), script: path(script) },
    byName: new Map([style, script].map((asset) => [asset.name, asset])),
  };
}
