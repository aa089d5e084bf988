export { FederationWorkerModule } from './federation-worker.module';
export { DELIVERY_SENDER, PEER_DISCOVERY } from './partner-ports';
export { PartnersModule } from './partners/partners.module';
