import '#node-version';
import { runService } from '#platform';
import { ShareApiModule } from './share-api.module';

void runService('share-api', ShareApiModule);
