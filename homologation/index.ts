/** What the service and its commands use of homologation, by src/app/homologation.ts alone. */
export { addSimulatedAcquirer } from './add-simulated-acquirer.ts';
export { findClock } from './clock/jumps.sql.ts';
export { openTestClock, type TestClock } from './clock/open-test-clock.ts';
export { HOMOLOGATION_PAGES } from './console/homologation-screens.ts';
export { createDemoMerchant } from './create-demo-merchant.ts';
export { type DataFolder, openDataFolder } from './data-folder.ts';
export { findRunningPostgres, PostgresSilent, startEmbeddedPostgres } from './embedded-postgres/launcher.ts';
export { HOMOLOGATION, type Homologation, openHomologation } from './module.ts';
export { addressOfShop, type DemoShop, demoOrigin, openDemoShop } from './open-demo-shop.ts';
export { type SimulatedAcquirer, startOwnSimulators } from './start-own-simulators.ts';
export { findSimulator, type StartSimulator } from './start-simulator.ts';
