import '#node-version';
import { runService } from '#platform';
import { CapabilitiesModule } from './capabilities.module';

void runService('capabilities', CapabilitiesModule);
