import { type Instant, instant } from '../values/instant.ts';
import { readClockOfDatabase } from './database-time.sql.ts';
import type { Database } from './postgres/database.ts';

/**
 * The database's clock, read from time to time and advanced by monotonic time, so that a wrong wall clock
 * here has no effect. It is never ahead, and behind by at most one round trip. Until the first reading it is
 * the wall clock.
 */
export class DatabaseTime {
  #lead: number | null = null;

  now(): Instant {
    return instant(this.#lead === null ? Date.now() : Math.floor(this.#lead + performance.now()));
  }

  /** Throws database errors; the former reading stays in use. */
  async follow(database: Database): Promise<void> {
    const askedAt = performance.now();
    const shown = await readClockOfDatabase(database);
    this.note(shown, askedAt, performance.now());
  }

  /**
   * `shown` was the time between the two monotonic times. Corrects the kept reading only as far as this
   * proves it wrong.
   */
  note(shown: number, askedAt: number, answeredAt: number): void {
    const least = shown - answeredAt;
    this.#lead = Math.min(Math.max(this.#lead ?? least, least), shown - askedAt);
  }
}
