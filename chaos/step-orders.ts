import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { until } from '../test/kit/service.ts';

export type StepAction = 'kill' | 'pause' | 'cut';

/** What the counter in a gateway wrote. */
export type StepLine = {
  readonly event: 'armed' | 'hit' | 'disarmed';
  /** For `hit` which step it was, for `disarmed` how many there were. */
  readonly step: number;
  readonly what: string;
};

const COUNTER = fileURLToPath(new URL('step-counter.ts', import.meta.url));

/** Speaks with the step counter inside one gateway. */
export class StepOrders {
  readonly #file: string;

  /** `file` is a path of its own for each process. */
  constructor(file: string) {
    this.#file = file;
  }

  /** What a service must be started with. */
  settings(): Record<string, string> {
    return { NODE_OPTIONS: `--import=${COUNTER}`, FAULTS_CONTROL: this.#file };
  }

  /** The counter starts with the process. */
  armFromStart(action: StepAction, step: number): void {
    writeFileSync(`${this.#file}.order`, JSON.stringify({ action, step }));
  }

  /** Whoever starts next counts nothing. */
  disarmFromStart(): void {
    writeFileSync(`${this.#file}.order`, JSON.stringify({ action: 'none', step: 0 }));
  }

  /** Counts from now on; resolves when the process knows. */
  async arm(processId: number, action: StepAction, step: number): Promise<void> {
    await this.#order(processId, { action, step }, 'armed');
  }

  /** Gives how many steps there were since `arm`. */
  async disarm(processId: number): Promise<number> {
    return (await this.#order(processId, { action: 'none', step: 0 }, 'disarmed')).step;
  }

  /** The step that was hit since the last `arm`, or null. */
  hit(): StepLine | null {
    const lines = this.#lines();
    const armed = lines.findLastIndex((line) => line.event === 'armed');
    return lines.slice(armed + 1).find((line) => line.event === 'hit') ?? null;
  }

  async #order(processId: number, order: object, answer: string): Promise<StepLine> {
    const before = this.#lines().length;
    writeFileSync(`${this.#file}.order`, JSON.stringify(order));
    process.kill(processId, 'SIGUSR2');
    return until(`the counter says ${answer}`, async () =>
      this.#lines()
        .slice(before)
        .find((line) => line.event === answer),
    );
  }

  #lines(): StepLine[] {
    let text: string;
    try {
      text = readFileSync(`${this.#file}.log`, 'utf8');
    } catch {
      return [];
    }
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as StepLine);
  }
}
