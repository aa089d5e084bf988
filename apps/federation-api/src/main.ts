import '#node-version';
import { runService } from '#platform';
import { FederationApiModule } from './federation-api.module';

void runService('federation-api', FederationApiModule);
