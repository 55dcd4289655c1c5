; Keys; how deep and how many stands in languages.ts.
(block_mapping_pair key: (flow_node) @name value: (block_node)? @body) @definition.property
(flow_pair key: (flow_node) @name) @definition.property
