// The parts of ECharts that Taper draws with, and no others. Legends, titles
// and data tables are HTML of our own.
import { use } from 'echarts/core';
import { BarChart, CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import { AriaComponent, GridComponent, MarkAreaComponent, MarkLineComponent, MarkPointComponent, TooltipComponent } from 'echarts/components';
import { LabelLayout } from 'echarts/features';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';

use([
  BarChart, CustomChart, LineChart, ScatterChart,
  AriaComponent, GridComponent, MarkAreaComponent, MarkLineComponent, MarkPointComponent, TooltipComponent,
  LabelLayout,
  CanvasRenderer, SVGRenderer,
]);

export { connect, init } from 'echarts/core';
