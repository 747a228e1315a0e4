import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OutsideTools } from './outside-tools.ts';

/** Of Redocly all that it recommends. Why a rule is another one here stands beside it. */
const REDOCLY = {
  extends: ['recommended'],
  rules: {
    // By itself it forbids other fields in each part of a schema, also in the parts of if, then and else.
    'no-invalid-media-type-examples': { severity: 'warn', allowAdditionalProperties: true },
    'no-invalid-parameter-examples': { severity: 'warn', allowAdditionalProperties: true },
    // The service of the proof is on this machine, and says so.
    'no-server-example.com': 'off',
  },
};

const SPECTRAL = {
  extends: ['spectral:oas'],
  rules: {
    // OpenAPI 3.1 lets every scheme name roles, not OAuth alone.
    'oas3-operation-security-defined': 'off',
  },
};

/** What two linters say of the document; empty when they say nothing. */
export async function lintComplaints(document: object, tools: OutsideTools): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-lint-'));
  const place = { cwd: folder };
  try {
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(document, null, 1));
    await writeFile(join(folder, 'redocly.yaml'), JSON.stringify(REDOCLY));
    await writeFile(join(folder, 'spectral.json'), JSON.stringify(SPECTRAL));
    const redocly = await tools.run(
      'redocly',
      ['lint', 'openapi.json', '--format', 'json', '--max-problems', '50'],
      place,
    );
    const spectral = await tools.run(
      'spectral',
      ['lint', 'openapi.json', '-r', 'spectral.json', '-F', 'hint'],
      place,
    );
    const { totals } = JSON.parse(
      redocly.output.slice(redocly.output.indexOf('{'), redocly.output.lastIndexOf('}') + 1),
    );
    return [
      ...(totals.errors + totals.warnings === 0 ? [] : [`Redocly: ${redocly.output}`]),
      ...(spectral.isGood ? [] : [`Spectral: ${spectral.output}`]),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
