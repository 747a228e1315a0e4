import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const RUN = join(import.meta.dirname, '../../bin/run.mjs');

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
export type Answered = { readonly status: number; readonly body: any; readonly type: string | null };

/** The real program, started by a test. */
export type RunningPixBank = {
  readonly url: string;
  readonly process: ChildProcess;
  readonly folder: string;
  /** A client of the API with a token of its own. */
  readonly client: (clientId?: string, scope?: string) => Promise<PixClient>;
  /** Orders and readings of the simulator itself. */
  readonly order: (path: string, body: object) => Promise<Answered>;
  readonly read: (path: string) => Promise<Answered>;
  /** Ends the program and waits until it has gone. */
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
};

/** Asks below the path of the API; `now`: what time it is for the receiver. */
export type PixClient = (method: string, path: string, body?: object, now?: string) => Promise<Answered>;

export const KEY = '7f6844d0-de89-47e5-9ef7-e0a35a681615';

/** Starts the program in the folder (a new one unless given) and waits until it is ready. */
export async function startPixBank(
  t: TestContext,
  { folder = temporaryFolder(t), options = [] as readonly string[] } = {},
): Promise<RunningPixBank> {
  const words = [RUN, 'simulators/pix/main.ts', '--data', folder, '--exit-with-parent', ...options];
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  t.after(() => child.kill('SIGKILL'));
  for await (const line of createInterface(child.stdout)) {
    const { port } = JSON.parse(line) as { port: number };
    const url = `http://127.0.0.1:${port}`;
    return {
      ...{ url, process: child, folder },
      client: (clientId = 'M1', scope = undefined) => pixClient(url, clientId, scope),
      order: (path, body) => ask(`${url}/simulator${path}`, { method: 'POST', body: JSON.stringify(body) }),
      read: (path) => ask(`${url}/simulator${path}`, {}),
      end: async (signal) => {
        child.kill(signal);
        await ended;
      },
    };
  }
  throw new Error('the simulator ended before it was ready');
}

async function pixClient(url: string, clientId: string, scope: string | undefined): Promise<PixClient> {
  const form = {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: `secret of ${clientId}`,
  };
  const given = scope === undefined ? form : { ...form, scope };
  const { body } = await ask(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(given) });
  const authorization = `Bearer ${body.access_token}`;
  return (method, path, asked, now) =>
    ask(`${url}/api/v2${path}`, {
      method,
      headers: { authorization, ...(now === undefined ? {} : { 'x-parcela-now': now }) },
      ...(asked === undefined ? {} : { body: JSON.stringify(asked) }),
    });
}

/** A charge at once that is accepted, save for what is given. */
export function cob(changed: object = {}): object {
  return {
    calendario: { expiracao: 3_600 },
    devedor: { cpf: '52998224725', nome: 'Ana Souza' },
    valor: { original: '100.00' },
    chave: KEY,
    solicitacaoPagador: 'Pedido 123',
    infoAdicionais: [{ nome: 'Loja', valor: 'Centro' }],
    ...changed,
  };
}

/** The same with a due day. */
export function cobv(changed: object = {}): object {
  return {
    ...cob(),
    calendario: { dataDeVencimento: '2027-03-10', validadeAposVencimento: 10 },
    devedor: { cnpj: '11222333000181', nome: 'Compras Ltda', cidade: 'Recife', uf: 'PE', cep: '50000000' },
    ...changed,
  };
}

/** An authorization of a month's charges that is accepted, save for what is given. */
export function rec(changed: object = {}): object {
  return {
    vinculo: {
      contrato: '63100862',
      devedor: { cpf: '52998224725', nome: 'Ana Souza' },
      objeto: 'Clube de livros',
    },
    calendario: { dataInicial: '2027-02-10', periodicidade: 'MENSAL' },
    valor: { valorRec: '35.00' },
    politicaRetentativa: 'PERMITE_3R_7D',
    ...changed,
  };
}

/** A charge under it. */
export function cobr(idRec: string, dataDeVencimento: string, changed: object = {}): object {
  return {
    idRec,
    infoAdicional: 'Livro do mês',
    calendario: { dataDeVencimento },
    valor: { original: '35.00' },
    ajusteDiaUtil: true,
    recebedor: { agencia: '0001', conta: '123456', tipoConta: 'CORRENTE' },
    ...changed,
  };
}

async function ask(url: string, options: RequestInit): Promise<Answered> {
  const response = await fetch(url, options);
  const text = await response.text();
  const type = response.headers.get('content-type');
  return { status: response.status, body: text === '' ? null : JSON.parse(text), type };
}
