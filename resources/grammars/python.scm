; Definitions
(function_definition name: (identifier) @name) @definition.function
(class_definition name: (identifier) @name) @definition.class
(module (expression_statement (assignment left: (identifier) @name) @definition.constant) (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
(module (expression_statement (assignment left: (identifier) @name) @definition.variable))
(module (expression_statement (assignment right: (assignment left: (identifier) @name @definition.variable))))
(module (expression_statement (assignment left: (pattern_list (identifier) @name @definition.variable))))
(module (if_statement (block (expression_statement (assignment left: (identifier) @name) @definition.variable))))
(module (if_statement (elif_clause (block (expression_statement (assignment left: (identifier) @name) @definition.variable)))))
(module (if_statement (else_clause (block (expression_statement (assignment left: (identifier) @name) @definition.variable)))))
(module (try_statement (block (expression_statement (assignment left: (identifier) @name) @definition.variable))))
(module (try_statement (except_clause (block (expression_statement (assignment left: (identifier) @name) @definition.variable)))))
(module (try_statement (else_clause (block (expression_statement (assignment left: (identifier) @name) @definition.variable)))))
(module (if_statement (block (expression_statement (assignment left: (pattern_list (identifier) @name)) @definition.variable))))
(module (if_statement (elif_clause (block (expression_statement (assignment left: (pattern_list (identifier) @name)) @definition.variable)))))
(module (if_statement (else_clause (block (expression_statement (assignment left: (pattern_list (identifier) @name)) @definition.variable)))))
(module (try_statement (block (expression_statement (assignment left: (pattern_list (identifier) @name)) @definition.variable))))
(module (try_statement (except_clause (block (expression_statement (assignment left: (pattern_list (identifier) @name)) @definition.variable)))))
(module (try_statement (else_clause (block (expression_statement (assignment left: (pattern_list (identifier) @name)) @definition.variable)))))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @definition.property)))
(class_definition body: (block (expression_statement (assignment left: (pattern_list (identifier) @name)) @definition.property)))
(class_definition body: (block (if_statement (block (expression_statement (assignment left: (identifier) @name) @definition.property)))))
(module (type_alias_statement left: (type (identifier) @name)) @definition.type)

; Local names
(parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(default_parameter name: (identifier) @local)
(typed_parameter (identifier) @local)
(typed_default_parameter name: (identifier) @local)
(list_splat_pattern (identifier) @local)
(dictionary_splat_pattern (identifier) @local)
(assignment left: (identifier) @local)
(assignment left: (pattern_list (identifier) @local))
(typed_parameter (identifier) @local type: (type) @local.type)
(typed_default_parameter name: (identifier) @local type: (type) @local.type)
(assignment left: (identifier) @local type: (type) @local.type)
(assignment left: (identifier) @local !type right: (_) @local.value)
(for_statement left: (identifier) @local)
(for_in_clause left: (identifier) @local)
(as_pattern alias: (as_pattern_target (identifier) @local))
(named_expression name: (identifier) @local)
[(function_definition) (lambda) (list_comprehension) (dictionary_comprehension) (set_comprehension) (generator_expression)] @scope

; Imports
(import_statement name: (dotted_name) @import.source @import.namespace)
(import_statement name: (aliased_import name: (dotted_name) @import.source alias: (identifier) @import.namespace))
(import_from_statement module_name: (_) @import.source name: (dotted_name) @import.name)
(import_from_statement module_name: (_) @import.source name: (aliased_import name: (dotted_name) @import.name alias: (identifier) @import.alias))
(import_from_statement module_name: (_) @import.source (wildcard_import) @import.all)

; References
(call function: (identifier) @name) @reference.call
(call function: (attribute object: (_) @receiver attribute: (identifier) @name)) @reference.call
(class_definition superclasses: (argument_list (identifier) @name)) @reference.extends
(class_definition superclasses: (argument_list (attribute object: (_) @receiver attribute: (identifier) @name))) @reference.extends
(decorator (identifier) @name) @reference.call
(attribute object: (_) @receiver attribute: (identifier) @name) @reference.usage
(attribute object: (identifier) @name) @reference.usage
(argument_list (identifier) @name @reference.usage)
(keyword_argument value: (identifier) @name @reference.usage)
(assignment right: (identifier) @name @reference.usage)
(return_statement (identifier) @name @reference.usage)
(type (identifier) @name @reference.usage)
(list (identifier) @name @reference.usage)
(tuple (identifier) @name @reference.usage)
(pair value: (identifier) @name @reference.usage)
(comparison_operator (identifier) @name @reference.usage)
(subscript (identifier) @name @reference.usage)
