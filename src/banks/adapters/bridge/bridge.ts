import type { Question } from '../../../platform/channels/ask-once.ts';
import type { Channel } from '../../../platform/channels/open-channel.ts';
import { type Instant, utcText } from '../../../values/instant.ts';
import {
  type Bank,
  type BankChangesAnswer,
  type BankChangesRequest,
  type BoletoCancelAnswer,
  type BoletoRequest,
  type FoundBoleto,
  type IssueAnswer,
  ownCursor,
} from '../../bank.ts';
import { readCancel, readFound, readIssue } from './bank-answers.ts';
import { readBankChanges } from './bank-changes.ts';
import { BankConnections, type BankOptions } from './bank-connections.ts';
import type { Identified } from './known-bank.ts';

/** A running program accepts a connection within milliseconds. */
export const BANK_CONNECT_MILLISECONDS = 2_000;
/** A page of changes: 500 of at most a kilobyte each. */
const LARGEST_CHANGES_BYTES = 512 * 1024;

/** A bank that can be asked which one it is, before it is asked for anything else. */
export type BridgeBank = Bank & {
  readonly identify: (timeoutMilliseconds: number) => Promise<Identified>;
};

/**
 * The adapter of docs/bank-protocol.md: JSON over HTTP to a program beside us that speaks to the
 * bank. The simulator is one such program.
 */
export function bridgeBank(url: string, channel: Channel, options: BankOptions): BridgeBank {
  const connections = new BankConnections(url, channel, options);
  const { asking, observed } = connections;

  async function issue(request: BoletoRequest, timeout: number): Promise<IssueAnswer> {
    const wanted = { merchantId: request.merchantId, kind: 'boletos' };
    const question = asking('POST', '/boletos', request);
    const { answer, bankCode } = await connections.register(wanted, question, timeout);
    return readIssue(answer, request, bankCode);
  }

  async function cancel(
    merchantId: string,
    ourNumber: string,
    requestedAt: Instant,
    timeout: number,
  ): Promise<BoletoCancelAnswer> {
    const body = { merchantId, requestedAt: utcText(requestedAt) };
    const path = `/boletos/${encodeURIComponent(ourNumber)}/cancel`;
    const question = { ...asking('POST', path, body), template: '/boletos/{ourNumber}/cancel' };
    const { answer } = await connections.register({ merchantId, kind: 'cancels' }, question, timeout);
    return readCancel(answer, ourNumber);
  }

  async function find(request: Parameters<Bank['find']>[0], timeout: number): Promise<FoundBoleto> {
    const { merchantId, ourNumber } = request;
    const path = `/boletos/${encodeURIComponent(ourNumber)}?merchantId=${encodeURIComponent(merchantId)}`;
    const question = () => ({ ...asking('GET', path), template: '/boletos/{ourNumber}' });
    const { answer, bankCode } = await connections.lookUp({ merchantId }, question, timeout);
    return readFound(answer, request, bankCode);
  }

  async function changesSince(request: BankChangesRequest, timeout: number): Promise<BankChangesAnswer> {
    const query = new URLSearchParams({ until: utcText(request.until), limit: String(request.limit) });
    if (request.merchantId !== null) query.set('merchantId', request.merchantId);
    const questionTo = (code: string): Question => {
      const cursor = ownCursor(code, request.cursor);
      if (cursor !== null) query.set('cursor', cursor);
      return asking('GET', `/changes?${query}`);
    };
    const wanted = connections.wantedBy(request.merchantId);
    const asked = await connections.lookUp(wanted, questionTo, timeout, LARGEST_CHANGES_BYTES);
    return readBankChanges(asked.answer, request, asked.bankCode);
  }

  return {
    name: 'bridge',
    get bankCode() {
      return connections.bankCode;
    },
    identify: (timeout) => connections.identify(null, timeout),
    async learnCode(timeout) {
      await connections.identify(null, timeout);
      return connections.bankCode;
    },
    issue: (request, timeout) => observed('issue', issue(request, timeout)),
    cancel: (...asked) => observed('cancel', cancel(...asked)),
    find: (request, timeout) => observed('find', find(request, timeout)),
    changesSince: (request, timeout) => observed('changes', changesSince(request, timeout)),
    close: () => connections.close(),
  };
}
