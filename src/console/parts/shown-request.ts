import type { Contract } from '../../platform/http/endpoint.ts';
import { type Html, html } from './html.ts';

/** A request of the API, as a newcomer would send it. */
export type ShownRequest = {
  readonly contract: Pick<Contract, 'method' | 'path'>;
  /** Absent: it is read, with nothing sent. */
  readonly body?: unknown;
};

/** As it is typed, with the same left out of every request. */
function curlOf({ contract: { method, path }, body }: ShownRequest): string {
  const sent = body === undefined ? '' : ` -H "Content-Type: application/json" -d '${JSON.stringify(body)}'`;
  const asked = method === 'GET' ? '' : ` -X ${method}`;
  return `curl${asked} "$URL${path}" -H "Authorization: Bearer $TOKEN"${sent}`;
}

/** What a button asks for, in the words of the API. */
export function shownRequests(requests: readonly ShownRequest[]): Html {
  return html`<pre class="scroll" tabindex="0"><code>${requests.map((request) => `${curlOf(request)}\n`)}</code></pre>`;
}
