import { type Instant, instant } from '../values/instant.ts';
import { readClockOfDatabase } from './database-time.sql.ts';
import type { Database } from './postgres/database.ts';

/**
 * The database's clock as this process knows it: read from time to time, and advanced by monotonic
 * time, so that a wrong wall clock of this process changes nothing. It is behind the database's by
 * at most the time of one answer, and never ahead. Until the first reading it is the wall clock.
 */
export class DatabaseTime {
  /** The database's milliseconds less those of `performance.now()`. */
  #lead: number | null = null;

  now(): Instant {
    return instant(this.#lead === null ? Date.now() : Math.floor(this.#lead + performance.now()));
  }

  /** Throws the errors of the database; the former reading stays in use. */
  async follow(database: Database): Promise<void> {
    const askedAt = performance.now();
    const shown = await readClockOfDatabase(database);
    this.note(shown, askedAt, performance.now());
  }

  /**
   * The clock showed this at some moment between the two (monotonic): the former reading is
   * corrected only as far as it is disproved.
   */
  note(shown: number, askedAt: number, answeredAt: number): void {
    const least = shown - answeredAt;
    this.#lead = Math.min(Math.max(this.#lead ?? least, least), shown - askedAt);
  }
}
