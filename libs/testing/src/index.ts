export {
  REPOSITORY,
  spawnApp,
  spawnGateway,
  type Exit,
  type ProcessOptions,
  type SpawnedGateway,
  type StartedProcess,
} from './gateway-process';
export { ADMIN, basicAuth, startGateway, type GatewayOptions, type TestGateway } from './in-process-gateway';
export { createEmptyDatabase, createTestDatabase, type TestDatabase } from './test-database';
export { eventually } from './waiting';
