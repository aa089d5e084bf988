export { FederationWorkerModule } from './federation-worker.module';
export { PartnersModule } from './partners/partners.module';
