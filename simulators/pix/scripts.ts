import type { Step, WebhookFault } from './script-step.ts';

const MOST_SCRIPTS = 10_000;

/**
 * The steps that tests have laid out for the next requests of a client to an operation, and for its next
 * webhooks. In memory only: a restart forgets them.
 */
export class Scripts {
  readonly #steps = new Map<string, Step[]>();
  readonly #webhooks = new Map<string, WebhookFault[]>();

  /** Replaces what is left of this script; false when there are too many. */
  write(clientId: string, operation: string, steps: readonly Step[]): boolean {
    return put(this.#steps, `${clientId} ${operation}`, steps);
  }

  writeWebhooks(clientId: string, faults: readonly WebhookFault[]): boolean {
    return put(this.#webhooks, clientId, faults);
  }

  next(clientId: string, operation: string): Step | null {
    return take(this.#steps, `${clientId} ${operation}`);
  }

  nextWebhook(clientId: string): WebhookFault | null {
    return take(this.#webhooks, clientId);
  }
}

function put<S>(waiting: Map<string, S[]>, name: string, steps: readonly S[]): boolean {
  waiting.delete(name);
  if (waiting.size >= MOST_SCRIPTS) return false;
  if (steps.length > 0) waiting.set(name, [...steps]);
  return true;
}

function take<S>(waiting: Map<string, S[]>, name: string): S | null {
  const steps = waiting.get(name);
  const step = steps?.shift() ?? null;
  if (steps?.length === 0) waiting.delete(name);
  return step;
}
