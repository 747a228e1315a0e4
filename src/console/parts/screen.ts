import type { Merchant } from '../../merchants/merchant.ts';
import type { AnswerOf, AnswerStream, Contract, WireError } from '../../platform/http/endpoint.ts';
import { type Html, html } from './html.ts';
import { ROLES, type Role, type User } from './user.ts';
import type { Wording } from './wording.ts';

/** In the last digits of the key of a page its forms may differ. */
export const ONCE_ENDING = 4;

/** A request for a page, by somebody who may see it. */
export type Visit = {
  readonly user: User;
  /** Of the path; empty where a screen is of no merchant. */
  readonly merchantId: string;
  readonly accountNumbers: readonly string[];
  /** What stands in the path where the pattern has names. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Each name once; empty ones are left out. */
  readonly query: Readonly<Record<string, string>>;
  /** Of a screen that takes one, when it was sent; else empty. */
  readonly form: Form;
  /** In its one spelling, whatever was asked for, without its query. */
  readonly path: string;
  readonly wording: Wording;
  readonly ask: Ask;
  /** The same of another merchant, with a key of its own. */
  readonly askFor: (merchant: Merchant | null, onceKey: string) => Ask;
  /** From where it is asked. */
  readonly address: string;
  /** Under which people reach the console; null: not known. */
  readonly origin: string | null;
  /** Business time of the merchant, whose clock homologation may move, or else the real one: milliseconds. */
  readonly now: number;
  /** Milliseconds. */
  readonly realNow: number;
  readonly isHomologation: boolean;
  /** What the form of an action needs to be believed; it may stand in forms of this page alone. */
  readonly formMark: string;
  /** A key for the form that is shown now: sent twice it has one effect. */
  readonly onceKey: string;
};

/** What is read for a page; `notFound`: there is no such thing, or not for this user. */
export type Read<Found> = Found | 'notFound' | { readonly leadsTo: string };

/** Something to keep: a browser saves it under this name instead of showing it. */
export type Download = { readonly name: string } & (
  | { readonly type: string; readonly content: string | Buffer }
  /** Of any length; `filters`: those that were read for it, as the audit log has them. */
  | { readonly stream: AnswerStream; readonly filters: Readonly<Record<string, string | undefined>> }
);

/** Where something stands, and who may use it. */
export type Where = {
  /** Below `/console`, with names in braces; those of a merchant begin with `/merchants/{merchantId}`. */
  readonly path: string;
  readonly roles: readonly Role[];
  /** `operator`: of users without a merchant alone. */
  readonly of: 'merchant' | 'operator';
  /** Production has no such page. */
  readonly homologationOnly?: true;
  /** English. */
  readonly title: string;
};

/** One page as one value: who may see it, what it reads, and how that is shown. */
export type Screen<Tools> = Where & {
  /** Where it stands in the navigation; absent: it is reached from another page. */
  readonly place?: number;
  /** Whether navigation leads there now; `merchantId` null: no merchant is chosen. Absent: it does. */
  readonly isOffered?: (merchantId: string | null, tools: Tools) => Promise<boolean>;
  /** So often it is read again while somebody looks at it; absent: it stays. */
  readonly refreshSeconds?: number;
  /** It is saved, not shown. */
  readonly isFile?: true;
  /**
   * Its address takes a form too, whose fields stand in no address: to look for what must not be there, or
   * to keep what is the user's own. Whatever changes a merchant's things is an action.
   */
  readonly takesForm?: true;
  readonly show: (visit: Visit, tools: Tools) => Promise<Read<Html> | Download>;
};

export function screen<Tools, Found>(
  declared: Omit<Screen<Tools>, 'show'> & {
    readonly read: (visit: Visit, tools: Tools) => Promise<Read<Found>>;
    readonly view: (found: Found, visit: Visit) => Html;
  },
): Screen<Tools> {
  const { read, view, ...where } = declared;
  return {
    ...where,
    async show(visit, tools) {
      const found = await read(visit, tools);
      if (found === 'notFound' || leads(found)) return found as Read<Html>;
      return view(found as Found, visit);
    },
  };
}

function leads(found: unknown): found is { readonly leadsTo: string } {
  return typeof found === 'object' && found !== null && 'leadsTo' in found;
}

/** The fields of a form, each once. */
export type Form = Readonly<Record<string, string>>;

/** Undefined: it is none. */
export function readForm(value: unknown): Form | undefined {
  const isForm = Object.values(Object(value)).every((field) => typeof field === 'string');
  return isForm ? (value as Form) : undefined;
}

/** What an action would move, as the books know it. */
export type Moved = {
  /** Cents. */
  readonly amount: number;
  /** What counts against the limit: with what went the same way before. */
  readonly counted: number;
  /** How the thing stands: another one later means that it has changed. */
  readonly standing: string;
  /** The form that moves exactly this. */
  readonly fields: Form;
};

type AskingEndpoint = {
  readonly contract: Contract;
  readonly asks: (visit: Visit, form: Form) => Given;
};

/** For what no endpoint does: an operation of a module, under the name that the audit log has of it. */
type Performing<Tools> = {
  readonly operation: string;
  /** Done also while all work is held: it locks somebody out. */
  readonly isForHeld?: true;
  readonly perform: (visit: Visit, form: Form, tools: Tools) => Promise<Asked<unknown>>;
};

/**
 * Something that a user does on a page, from the fields of its form. Every one but a question takes a reason,
 * which is written with it into the audit log before it is done.
 */
export type Action<Tools = unknown> = (AskingEndpoint | Performing<Tools>) &
  Where & {
    /** Of what moves money: how much. Over the operator's limit a second person is asked first. */
    readonly moves?: (visit: Visit, form: Form, tools: Tools) => Promise<Asked<Moved | null>>;
    /** What the fields that `moves` gave say beside the amount, for the person who is to approve it. */
    readonly saysOf?: (fields: Form, wording: Wording) => string;
    /** What is wrongly typed for every reader, in the words of its form; null: nothing. */
    readonly faultOf?: (form: Form) => string | null;
    /** It asks somebody else and changes nothing: no reason is wanted. */
    readonly isQuestion?: true;
    /** What is said where it was done. */
    readonly done: string;
    /** What is shown once and is nowhere afterwards; absent: it leads on. */
    readonly reveal?: (answered: unknown, visit: Visit) => Html;
    /** Where it leads then, by what was answered; back from a refusal nothing was. */
    readonly next: (visit: Visit, answered?: unknown) => string;
  };

/** As the audit log names what an action does. */
export function operationOf(action: Action<never>): string {
  return 'contract' in action ? action.contract.id : action.operation;
}

/** Whether a user may see a screen or do an action; of a merchant's things only those of its own. */
export function mayUse({ roles, of }: Pick<Where, 'roles' | 'of'>, user: User): boolean {
  return roles.includes(user.role) && (of === 'merchant' || user.merchantId === null);
}

export const ALL_ROLES: readonly Role[] = ROLES;

/** Of the audit log: pages lead there only users who may see it. */
export const MAY_SEE_AUDIT = { roles: ['operator', 'admin'], of: 'operator' } as const;

/** What an endpoint answered to a page. */
export type Asked<Body> =
  | { readonly ok: true; readonly status: number; readonly body: Body }
  | { readonly ok: false; readonly status: number; readonly errors: readonly WireError[] };

/** What a request brings, as texts of a page; the reader of the endpoint checks them as it does the API's. */
export type Given = {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
};

/** Asks an endpoint in the name of the user, for the merchant of the page. */
export type Ask = <Declared extends Contract>(
  contract: Declared,
  given: Given,
) => Promise<Asked<AnswerOf<Declared>>>;

/** What an operation refused, as an endpoint would. */
export function operationRefused(status: 400 | 404 | 409 | 429, description: string): Asked<never> {
  return { ok: false, status, errors: [{ tag: '', description }] };
}

export const OPERATION_DONE: Asked<null> = { ok: true, status: 200, body: null };

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
