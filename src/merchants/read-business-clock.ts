import { type BusinessClock, businessClock } from '../platform/business-clock.ts';
import { DatabaseTime } from '../platform/database-time.ts';
import type { Database } from '../platform/postgres/database.ts';
import { listMovedClocks } from './merchant-clocks.sql.ts';

/** For a command: business time as a running service has it, moved where homologation moved it. */
export async function readBusinessClock(database: Database): Promise<BusinessClock> {
  const time = new DatabaseTime();
  await time.follow(database);
  const clocks = await listMovedClocks(database);
  const shifts = [...clocks].map(([merchantId, clock]) => [merchantId, clock.shiftMilliseconds] as const);
  return businessClock(time, new Map(shifts));
}
