; Definitions: functions, and file-level variables.
(function_declaration name: (identifier) @name) @definition.function
(function_declaration name: (dot_index_expression table: (_) @owner field: (_) @name)) @definition.function
(function_declaration name: (method_index_expression table: (_) @owner method: (_) @name)) @definition.method
(assignment_statement (variable_list . name: (identifier) @name) (expression_list . value: (function_definition body: (_) @body))) @definition.function
(assignment_statement (variable_list . name: (dot_index_expression table: (_) @owner field: (_) @name)) (expression_list . value: (function_definition body: (_) @body))) @definition.function
(table_constructor (field name: (identifier) @name value: (function_definition body: (_) @body)) @definition.function)
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name)) @definition.variable))
(chunk (variable_declaration (variable_list name: (identifier) @name)) @definition.variable)
(chunk (assignment_statement (variable_list name: (identifier) @name)) @definition.variable)

; Local names
(parameters name: (identifier) @local)
(variable_declaration (assignment_statement (variable_list name: (identifier) @local)))
(variable_declaration (variable_list name: (identifier) @local))
(for_generic_clause (variable_list name: (identifier) @local))
[(function_declaration) (function_definition) (block) (for_statement)] @scope

; Imports
(variable_declaration (assignment_statement (variable_list . name: (identifier) @import.namespace) (expression_list . value: (function_call name: (identifier) @_require arguments: (arguments (string content: (_) @import.source))))) (#eq? @_require "require"))

; References
(function_call name: (identifier) @name) @reference.call
(function_call name: (dot_index_expression table: (_) @receiver field: (identifier) @name)) @reference.call
(function_call name: (method_index_expression table: (_) @receiver method: (identifier) @name)) @reference.call
(arguments (identifier) @name @reference.usage)
