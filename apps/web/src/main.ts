import '#node-version';
import { runService } from '#platform';
import { WebModule } from './web.module';

void runService('web', WebModule);
