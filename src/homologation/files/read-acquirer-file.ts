import type { BusinessClock } from '../../platform/business-clock.ts';
import { utcText } from '../../values/instant.ts';
import type { FileRefusal, WantedFile, WrittenFile } from './acquirer-file.ts';
import { boundedText } from './bounded-text.ts';

export type FileTools = { readonly simulatorUrl: string; readonly clock: BusinessClock };

const TIMEOUT_MILLISECONDS = 10_000;
/** What the simulator says is put into the header of an answer. */
const NAME = /filename="([\w.-]{1,100})"/;
const OTHER_NAME = 'acquirer-file.txt';

/** Has the simulator write the file of a day of the merchant. Throws when it does not answer. */
export async function readAcquirerFile(
  { simulatorUrl, clock }: FileTools,
  merchantId: string,
  { format, day, fault, row }: WantedFile,
): Promise<WrittenFile> {
  const url = new URL('/files', simulatorUrl);
  const until = utcText(clock.now(merchantId));
  const asked = { merchantId, format, day, until, row: String(row), ...(fault === null ? {} : { fault }) };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) });
  if (response.status === 409 || response.status === 413) {
    return { kind: 'refused', refusal: refusalOf(await response.json()) };
  }
  if (!response.ok) throw new Error(`the simulator answered ${response.status}`);
  const content = await boundedText(response);
  if (content === null) return { kind: 'refused', refusal: 'tooLarge' };
  const name = NAME.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? OTHER_NAME;
  return { kind: 'written', name, content };
}

function refusalOf(body: unknown): FileRefusal {
  const { error } = body as { error?: unknown };
  const known = (['dayNotOver', 'noSuchRow', 'tooLarge'] as const).find((refusal) => refusal === error);
  if (known === undefined) throw new Error('the simulator refused for a reason that is not known');
  return known;
}
